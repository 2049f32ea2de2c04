import { Controller, Get, type INestApplication, Injectable, type PipeTransform, Sse } from '@nestjs/common';
import { CoordinatedShutdown } from '@roost/shutdown';
import { Observable } from 'rxjs';
import { Drain } from '../core/index.js';
import { until } from '../core/until.fixture.js';
import { ClientGoneError, DrainService, DrainSignal, DrainStartedError } from '../index.js';
import { ADAPTERS, Apps, connectTo } from '../nest-app.fixture.js';
import { DrainSignalPipe } from './drain-signal.decorator.js';

const { jest } = import.meta;
jest.setTimeout(30_000);
const apps = new Apps();
afterEach(() => apps.closeAll());

/** A pipe that inspects every parameter and ignores unknown ones. */
@Injectable()
class LookingPipe implements PipeTransform {
  readonly seen: unknown[] = [];

  transform(value: unknown, metadata: object): unknown {
    this.seen.push(metadata);
    return value;
  }
}

const signals: AbortSignal[] = [];
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));

@Controller()
class Streams {
  @Get('poll')
  async poll(@DrainSignal() signal: AbortSignal): Promise<string> {
    signals.push(signal);
    await aborted(signal);
    return 'ended by itself';
  }

  @Get('quick')
  quick(@DrainSignal() signal: AbortSignal): string {
    signals.push(signal);
    return 'quick';
  }

  @Sse('events')
  events(@DrainSignal() signal: AbortSignal): Observable<{ data: string }> {
    signals.push(signal);
    return new Observable((subscriber) => {
      subscriber.next({ data: 'first' });
      signal.addEventListener('abort', () => {
        subscriber.next({ data: 'last' });
        subscriber.complete();
      });
    });
  }
}

beforeEach(() => void signals.splice(0));

describe.each(ADAPTERS)('@DrainSignal on %s', (_, adapter) => {
  const start = (configure?: (app: INestApplication) => unknown) =>
    apps.listening({ controllers: [Streams] }, adapter(), configure);
  const pending = async (app: INestApplication) => until(() => app.get(DrainService).snapshot().inFlight === 0);

  it.each(['without', 'with'])('ends a long poll when the drain begins: %s global pipes', async (pipes) => {
    const pipe = new LookingPipe();
    const app = await start((app) => pipes === 'with' && app.useGlobalPipes(pipe));
    const client = await connectTo(app);
    client.request('GET /poll');
    await until(() => signals.length === 1);
    expect(signals[0]).toBeInstanceOf(AbortSignal);
    expect(signals[0]!.aborted).toBe(false);

    const report = await app.get(CoordinatedShutdown).run();

    expect(await client.untilClosed()).toContain('ended by itself');
    expect(signals[0]!.reason).toBeInstanceOf(DrainStartedError);
    expect(report.status).toBe('completed');
    expect(pipe.seen).toHaveLength(pipes === 'with' ? 1 : 0);
  });

  it('ends an event stream after the client has received the last event', async () => {
    const app = await start();
    const client = await connectTo(app);
    client.request('GET /events', 'Accept: text/event-stream');
    await client.untilReceived('data: first');

    await app.get(CoordinatedShutdown).run();

    expect(await client.untilClosed()).toContain('data: last');
  });

  it('aborts when the client disconnects', async () => {
    const app = await start();
    const client = await connectTo(app);
    client.request('GET /poll');
    await until(() => signals.length === 1);

    client.abort();

    await until(() => signals[0]!.aborted);
    expect(signals[0]!.reason).toBeInstanceOf(ClientGoneError);
    await pending(app);
  });

  it('does not abort after a normal end', async () => {
    const app = await start();
    const client = await connectTo(app);
    await client.request('GET /quick').untilReceived('quick');
    await pending(app);
    await app.get(CoordinatedShutdown).run();

    expect(signals[0]!.aborted).toBe(false);
    expect(app.get(DrainService).signal.aborted).toBe(true);
  });

  it('differs for each request', async () => {
    const app = await start();
    const client = await connectTo(app);
    await client.request('GET /quick').untilReceived('quick');
    client.received = '';
    await client.request('GET /quick').untilReceived('quick');

    expect(new Set(signals).size).toBe(2);
  });
});

describe('DrainSignalPipe', () => {
  it.each(['rpc', 'ws', 'graphql'])('passes the signal of the drain to %s handlers', (type) => {
    const drain = new Drain();

    expect(new DrainSignalPipe(drain).transform({ getType: () => type } as never)).toBe(drain.signal);
  });
});
