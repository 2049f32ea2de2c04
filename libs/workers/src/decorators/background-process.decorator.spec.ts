import { BackgroundProcess, type RunToken } from '../index.js';
import { processNameOf, readProcessOptions } from './background-process.decorator.js';

describe('@BackgroundProcess', () => {
  it('stores its options on the class, not on subclasses', () => {
    @BackgroundProcess({ name: 'poller' })
    class Poller {
      handle(): void {}
    }
    class Faster extends Poller {}

    expect(readProcessOptions(Poller)).toEqual({ name: 'poller' });
    expect(readProcessOptions(Faster)).toBeUndefined();
  });

  it('is a compile error on a class without handle()', () => {
    // @ts-expect-error no handle()
    @BackgroundProcess()
    class Nothing {}

    // @ts-expect-error handle() requires a parameter that it does not receive
    @BackgroundProcess()
    class Demanding {
      handle(run: RunToken, more: string): string {
        return more + run.name;
      }
    }

    @BackgroundProcess()
    class Fine {
      constructor(readonly dependency: string) {}
      async handle(run: RunToken): Promise<void> {
        await run.sleep(1);
      }
    }
    expect([Nothing, Demanding, Fine].map((type) => readProcessOptions(type))).toEqual([{}, {}, {}]);
  });
});

describe('default name', () => {
  it.each([
    ['Consumer', 'consumer'],
    ['OrderConsumerProcess', 'order-consumer'],
    ['HTTPPoller2Process', 'http-poller2'],
    ['Process', 'process'],
    ['ProcessOrders', 'process-orders'],
    ['S3Sync', 's3-sync'],
  ])('of %s is %s', (className, name) => expect(processNameOf(className)).toBe(name));
});
