import { Drain } from './core/index.js';
import { DrainService } from './drain.service.js';
import { InvalidServerError } from './index.js';

describe('DrainService', () => {
  it('exposes the state of the drain', () => {
    const drain = new Drain();
    const service = new DrainService(drain);
    const seen: number[] = [];
    service.inFlight$.subscribe((count) => seen.push(count));
    drain.meter.began();

    expect(service.snapshot()).toEqual(drain.snapshot());
    expect(service.isDraining).toBe(false);
    expect(service.signal.aborted).toBe(false);
    drain.announce();
    expect(service.isDraining).toBe(true);
    expect(service.signal.aborted).toBe(false);
    drain.shed();
    expect(service.signal).toBe(drain.signal);
    expect(service.signal.aborted).toBe(true);
    drain.meter.ended();
    expect(seen).toEqual([0, 1, 0]);
  });

  it('rejects a value that is not a server', () => {
    expect(() => new DrainService(new Drain()).attach({} as never)).toThrow(InvalidServerError);
  });
});
