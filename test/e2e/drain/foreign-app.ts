import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import type { Answer, Endpoint } from './clients/client.js';
import { DrainApp } from './drain-app.js';

/** Enough for any of them to do what it does on a signal. */
const REACTION_MS = 300;
const NO_ANSWER: Answer = { status: 0, headers: {}, body: '' };

/**
 * An application that stops by other means than Roost's. A case then goes on where it would wait for a 503, and fails only
 * if what it is about does not hold.
 */
export class ForeignApp extends DrainApp {
  override async untilRefusing(endpoint?: Endpoint): Promise<Answer> {
    await after(REACTION_MS);
    return this.get('/hello', endpoint).catch(() => NO_ANSWER);
  }

  /** To end by the signal itself, as Nest does, is as good as the exit code that stands for it; any code may tell a failure. */
  override async exits(code = 0): Promise<void> {
    const { code: actual, signal } = await this.result();
    const asWell = code === 1 ? actual !== null && actual !== 0 : signal === 'SIGTERM' || signal === 'SIGINT';
    assert(asWell || actual === code, `ended with ${signal ?? actual} instead of ${code}\n${this.process.output}`);
  }
}
