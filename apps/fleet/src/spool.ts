import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnModuleInit } from '@nestjs/common';
import { ageMs, ifThere, syncFolder, touch, writeToDisk } from './files.js';

const MAX_OFFERED = 1_000;
/** A claim that was not renewed for so long is that of a dead process. */
const LEASE_MS = 2_000;
const RENEW_MS = 500;
const POLL_MS = 100;
/** Nobody takes so long to write a small file. */
const DRAFT_MS = 60_000;

/** A job that one process works on. */
export interface Claim {
  readonly id: string;
  readonly file: string;
}

export class SpoolFullError extends Error {
  override readonly name = 'SpoolFullError';
}

/**
 * Jobs of one kind, as files in folders. A job changes hands by a rename: that happens at once or not at all, and of two who
 * try it one fails. So any number of processes may offer and claim.
 *
 * A job is done once. If its process is killed, or stands still for longer than the lease, it is done again.
 */
export abstract class Spool implements OnModuleInit {
  readonly #drafts: string;
  readonly #offered: string;
  readonly #claimed: string;
  readonly #failed: string;
  /** Tells claims of this process from all others, earlier ones of the same job included. */
  readonly #owner = randomUUID();

  constructor(dir: string) {
    this.#drafts = join(dir, 'drafts');
    this.#offered = join(dir, 'offered');
    this.#claimed = join(dir, 'claimed');
    this.#failed = join(dir, 'failed');
  }

  async onModuleInit(): Promise<void> {
    for (const dir of [this.#drafts, this.#offered, this.#claimed, this.#failed]) await mkdir(dir, { recursive: true });
  }

  /** @returns its id, when the job is on the disk @throws SpoolFullError */
  async offer(job: object): Promise<string> {
    if ((await readdir(this.#offered)).length >= MAX_OFFERED) throw new SpoolFullError('Too many jobs are waiting.');
    const id = `${Date.now()}-${randomUUID()}`;
    const draft = join(this.#drafts, id);
    try {
      await writeToDisk(draft, JSON.stringify(job));
      await rename(draft, join(this.#offered, id));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(this.#offered);
    return id;
  }

  /** Claims jobs, the oldest first, one whenever it is asked for one. */
  async *claims(signal: AbortSignal): AsyncGenerator<Claim> {
    while (!signal.aborted) {
      await this.#sweep();
      for (const id of (await readdir(this.#offered)).sort()) {
        if (signal.aborted) return;
        const claim = await this.#claim(id);
        if (claim) yield claim;
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  /** Does a job that was claimed. One that fails is put aside, since it would fail again. */
  async work(claim: Claim, work: (job: unknown) => Promise<void>): Promise<void> {
    // There are three more before the lease ends, so one may fail.
    const renewal = setInterval(() => void touch(claim.file).catch(() => undefined), RENEW_MS);
    try {
      await work(JSON.parse(await readFile(claim.file, 'utf8')));
      await ifThere(unlink(claim.file));
    } catch (error) {
      await ifThere(rename(claim.file, join(this.#failed, claim.id)));
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  async #claim(id: string): Promise<Claim | undefined> {
    const file = join(this.#claimed, `${id}.${this.#owner}`);
    // The lease is as old as the file, and a rename leaves that as it is.
    await touch(join(this.#offered, id));
    return (await ifThere(rename(join(this.#offered, id), file))) ? { id, file } : undefined;
  }

  /** Offers what the dead have claimed, and removes what they have half written. */
  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#claimed)) {
      const file = join(this.#claimed, name);
      if ((await ageMs(file)) < LEASE_MS) continue;
      await ifThere(rename(file, join(this.#offered, name.slice(0, name.lastIndexOf('.')))));
    }
    for (const name of await readdir(this.#drafts)) {
      const file = join(this.#drafts, name);
      if ((await ageMs(file)) > DRAFT_MS) await rm(file, { force: true });
    }
  }
}
