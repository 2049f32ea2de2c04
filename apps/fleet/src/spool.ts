import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnModuleInit } from '@nestjs/common';
import { ageMs, ifThere, syncFolder, touch, writeToDisk } from './files.js';

const MAX_OFFERED = 1_000;
/** A claim that has not been renewed for this long belongs to a dead process. */
const LEASE_MS = 2_000;
const RENEW_MS = 500;
const POLL_MS = 100;
/** An older draft was abandoned: writing a small file never takes this long. */
const DRAFT_MS = 60_000;

/** A job that this process has claimed. */
export interface Claim {
  readonly id: string;
  readonly file: string;
}

export class SpoolFullError extends Error {
  override readonly name = 'SpoolFullError';
}

/**
 * Jobs of one kind, stored as files in folders. Claiming a job is a rename. A rename is atomic, and only one of several
 * concurrent renames succeeds, so any number of processes can offer and claim jobs.
 *
 * A job normally runs once. It runs again if its process is killed or hangs for longer than the lease.
 */
export abstract class Spool implements OnModuleInit {
  readonly #drafts: string;
  readonly #offered: string;
  readonly #claimed: string;
  readonly #failed: string;
  /** Distinguishes claims of this process from all others, including earlier claims of the same job. */
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

  /** Stores a job and resolves to its id when the job is on disk. @throws SpoolFullError */
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

  /** Claims jobs on demand, oldest first. */
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

  /** Runs a claimed job. A job that fails is moved to the `failed` folder, because it would fail again. */
  async work(claim: Claim, work: (job: unknown) => Promise<void>): Promise<void> {
    // Three more renewals follow before the lease expires, so one of them may fail.
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
    // The lease starts at the modification time of the file, which a rename does not change.
    await touch(join(this.#offered, id));
    return (await ifThere(rename(join(this.#offered, id), file))) ? { id, file } : undefined;
  }

  /** Offers the claims of dead processes again, and removes drafts that were never completed. */
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
