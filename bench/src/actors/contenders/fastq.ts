import fastq from 'fastq';
import type { Asker, Contender, Message, Receiver } from '../contender.js';

class FastqReceiver implements Receiver {
  constructor(private readonly queue: { push(message: Message): unknown }) {}

  tell(message: Message): void {
    this.queue.push(message);
  }
}

class FastqAsker implements Asker {
  constructor(private readonly queue: fastq.queueAsPromised<number, number>) {}

  ask(value: number): Promise<number> {
    return this.queue.push(value);
  }
}

export const contender: Contender = {
  spawn: (count, handle) => {
    const worker = (message: Message, done: fastq.done<void>): void => {
      handle(message);
      done(null);
    };
    return Array.from({ length: count }, () => new FastqReceiver(fastq<void, Message, void>(worker, 1)));
  },
  spawnAsync: (handle) => new FastqReceiver(fastq.promise<void, Message, void>(handle, 1)),
  spawnAsker: (answer) =>
    new FastqAsker(fastq.promise<void, number, number>((value) => Promise.resolve(answer(value)), 1)),
};
