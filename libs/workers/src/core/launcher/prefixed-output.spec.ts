import { setImmediate as turn } from 'node:timers/promises';
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { PrefixedOutput } from './prefixed-output.js';

const MAX_LINE = 64 * 1024;

/** Accepts everything, or only what the test allows. */
class Sink extends Writable {
  text = '';
  #next: (() => void) | undefined;

  constructor(
    private readonly isSlow = false,
    highWaterMark = 16 * 1024,
  ) {
    super({ highWaterMark, decodeStrings: false });
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    if (this.isSlow) this.#next = done;
    else done();
  }

  take(): void {
    this.#next!();
  }
}

const setup = (target = new Sink()) => {
  const source = new PassThrough();
  const output = new PrefixedOutput(source, target, '[web#1] ');
  const end = async () => {
    source.end();
    await output.whenClosed;
  };
  return { source, target, output, end };
};

describe('PrefixedOutput', () => {
  it('adds the prefix to every line, including empty ones and an unfinished last one', async () => {
    const { source, target, end } = setup();

    source.write('one\n\ntwo\nthr');
    source.write('ee');
    await end();

    expect(target.text).toBe('[web#1] one\n[web#1] \n[web#1] two\n[web#1] three\n');
  });

  it('passes a line on as soon as it is complete', async () => {
    const { source, target } = setup();

    source.write('whole\nhal');
    await turn();

    expect(target.text).toBe('[web#1] whole\n');
  });

  it('prints nothing for empty output', async () => {
    const { target, end } = setup();

    await end();

    expect(target.text).toBe('');
  });

  it('produces the same lines however the text is split', async () => {
    const text = fc
      .array(fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constant('\n')))
      .map((t) => t.join(''));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(64)), async (given, cuts) => {
        const { source, target, end } = setup();
        const bytes = Buffer.from(given);
        const whole = bytes.toString();
        let from = 0;
        for (const length of cuts) {
          source.write(bytes.subarray(from, from + length));
          from += length;
          await turn();
        }
        source.write(bytes.subarray(from));
        await end();

        const lines = whole.split('\n');
        if (lines.at(-1) === '') lines.pop();
        expect(target.text).toBe(lines.map((line) => `[web#1] ${line}\n`).join(''));
      }),
      { numRuns: 100 },
    );
  });

  it('passes an endless line on in pieces, without loss', async () => {
    const { source, target, end } = setup();
    const piece = 'é'.repeat(10_000);
    const count = 20;

    for (let i = 0; i < count; i++) {
      source.write(piece);
      await turn();
    }
    expect(target.text.length).toBeGreaterThan(count * piece.length - 2 * MAX_LINE);
    await end();

    const lines = target.text.split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.map((line) => line.slice('[web#1] '.length)).join('')).toBe(piece.repeat(count));
  });

  it('reads no faster than its target', async () => {
    const { source, target, output } = setup(new Sink(true, 10));
    source.write('more than ten bytes\n');
    await turn();
    expect(source.isPaused()).toBe(true);
    source.write('later\n');
    await turn();
    expect(target.text).toBe('[web#1] more than ten bytes\n');

    target.take();
    await turn();
    expect(target.text).toBe('[web#1] more than ten bytes\n[web#1] later\n');
    target.take();
    source.end();
    await output.whenClosed;
  });

  it('keeps reading when the target fails, so that the child is not blocked', async () => {
    const { source, target, end, output } = setup();
    target.on('error', () => undefined);
    target.destroy();

    for (let i = 0; i < 50; i++) source.write(`${'x'.repeat(10_000)}\n`);
    source.write('last\n');
    await end();

    expect(output.lastLines).toMatch(/last$/);
  });

  it('closes when the source fails, with the text received so far', async () => {
    const { source, target, output } = setup();
    source.write('hal');
    await turn();

    source.destroy(new Error('EIO'));
    await output.whenClosed;

    expect(target.text).toBe('[web#1] hal\n');
  });
});

describe('PrefixedOutput.lastLines', () => {
  it('returns the last ten lines and the unfinished one, without the prefix', async () => {
    const { source, output, end } = setup();
    source.write(Array.from({ length: 12 }, (_, i) => `line ${i}\n`).join(''));
    source.write('rest');
    await turn();

    expect(output.lastLines.split('\n')).toEqual([...Array.from({ length: 10 }, (_, i) => `line ${i + 2}`), 'rest']);
    await end();
  });

  it('omits blank lines and stack traces', async () => {
    const { source, output, end } = setup();
    source.write('Error: no database\n    at connect (db.js:1:1)\n\n    at main.js:2:2\n\nNode.js v20.20.0\n');
    await end();

    expect(output.lastLines).toBe('Error: no database');
  });
});
