import fc from 'fast-check';
import { Fifo } from './fifo.js';

describe('Fifo', () => {
  it('returns items in the order in which they were added', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer(), { nil: 'shift' as const })), (commands) => {
        const fifo = new Fifo<number>();
        const model: number[] = [];
        for (const command of commands) {
          if (command !== 'shift') {
            fifo.push(command);
            model.push(command);
          } else if (model.length > 0) {
            expect(fifo.shift()).toBe(model.shift());
          }
          expect(fifo.size).toBe(model.length);
        }
      }),
    );
  });
});
