import { flush } from './flush.js';
import { FakeStream } from './fake-process.js';

const { jest } = import.meta;

let done: boolean;
const start = (...streams: FakeStream[]): void => {
  done = false;
  void flush(streams).then(() => (done = true));
};
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);
const filled = (size: number): FakeStream => {
  const stream = new FakeStream();
  stream.fill(size);
  return stream;
};

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('does not wait for streams that are empty or destroyed', async () => {
  const destroyed = filled(10);
  destroyed.destroyed = true;
  start(new FakeStream(), destroyed);
  await pass(0);
  expect(done).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
});

it('waits until every stream has been read', async () => {
  const [out, err] = [filled(10), filled(20)];
  start(out, err);
  out.take(10);
  await pass(0);
  expect(done).toBe(false);
  err.take(20);
  await pass(0);
  expect(done).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
});

it('keeps waiting for a reader that makes progress now and then', async () => {
  const stream = filled(100);
  start(stream);
  for (let n = 0; n < 5; n++) {
    await pass(999);
    expect(done).toBe(false);
    stream.take(10);
    await pass(1);
  }
  stream.take(50);
  await pass(0);
  expect(done).toBe(true);
});

it('gives up on a reader that consumes nothing for a second', async () => {
  start(filled(100));
  await pass(999);
  expect(done).toBe(false);
  await pass(1);
  expect(done).toBe(true);
  expect(jest.getTimerCount()).toBe(0);
});

it('gives up after ten seconds even if the reader makes slow progress', async () => {
  const stream = filled(1_000);
  start(stream);
  for (let n = 0; n < 9; n++) {
    stream.take(1);
    await pass(1_000);
  }
  expect(done).toBe(false);
  stream.take(1);
  await pass(1_000);
  expect(done).toBe(true);
});
