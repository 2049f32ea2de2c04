import assert from 'node:assert/strict';
import { setTimeout as after } from 'node:timers/promises';
import type { Answer, Endpoint } from './clients/client.js';
import { DrainApp } from './drain-app.js';

/** Enough time in ms for any library to react to a signal. */
const REACTION_MS = 300;
const NO_ANSWER: Answer = { status: 0, headers: {}, body: '' };

/**
 * An application that shuts down without Roost. A case continues where it would wait for a 503, and fails only if the
 * property it tests does not hold.
 */
export class ForeignApp extends DrainApp {
  override async untilRefusing(endpoint?: Endpoint): Promise<Answer> {
    await after(REACTION_MS);
    return this.get('/hello', endpoint).catch(() => NO_ANSWER);
  }

  /**
   * Accepts an end by the signal, as in Nest, in place of the matching exit code. Any code other than 0 may report a
   * failure.
   */
  override async exits(code = 0): Promise<void> {
    const { code: actual, signal } = await this.result();
    const asWell = code === 1 ? actual !== null && actual !== 0 : signal === 'SIGTERM' || signal === 'SIGINT';
    assert(asWell || actual === code, `ended with ${signal ?? actual} instead of ${code}\n${this.process.output}`);
  }
}
