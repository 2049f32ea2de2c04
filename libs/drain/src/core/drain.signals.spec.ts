import { EventEmitter } from 'node:events';
import type { ResponseLike } from './drain.js';
import { Drain } from './drain.js';
import { ClientGoneError } from './errors/client-gone.error.js';
import { DrainStartedError } from './errors/drain-started.error.js';
import { openStream, TestServers } from './http/test-servers.fixture.js';
import { until } from './until.fixture.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

class FakeResponse extends EventEmitter implements ResponseLike {
  writableEnded = false;
  writableFinished = false;
  closed = false;

  close(finished: boolean): void {
    this.writableEnded = this.writableFinished = finished;
    this.closed = true;
    this.emit('close');
  }
}

describe('Drain.signal', () => {
  it('aborts when work is refused, not before', () => {
    const drain = new Drain();
    const { signal } = drain;
    drain.announce();
    expect(signal.aborted).toBe(false);
    drain.shed();

    expect(drain.signal).toBe(signal);
    expect(signal.reason).toBeInstanceOf(DrainStartedError);
    expect(signal.reason).toMatchObject({ code: 'DRAIN_STARTED', name: 'DrainStartedError' });
  });
});

describe('Drain.signalFor', () => {
  it('aborts when work is refused', () => {
    const drain = new Drain();
    const signals = [drain.signalFor(new FakeResponse()), drain.signalFor(new FakeResponse())];
    drain.announce();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    drain.shed();

    expect(signals.map(({ reason }) => reason === drain.signal.reason)).toEqual([true, true]);
  });

  it('aborts immediately when work is already refused', () => {
    const drain = new Drain();
    drain.shed();

    expect(drain.signalFor(new FakeResponse()).reason).toBe(drain.signal.reason);
  });

  it('aborts when the client disconnects, for this response only', () => {
    const drain = new Drain();
    const [gone, stays] = [new FakeResponse(), new FakeResponse()];
    const signals = [drain.signalFor(gone), drain.signalFor(stays)];
    gone.close(false);

    expect(signals[0]!.reason).toBeInstanceOf(ClientGoneError);
    expect(signals[0]!.reason).toMatchObject({ code: 'DRAIN_CLIENT_GONE' });
    expect(signals[1]!.aborted).toBe(false);
  });

  it('aborts immediately when the client has already disconnected', () => {
    const drain = new Drain();
    const response = new FakeResponse();
    response.close(false);

    expect(drain.signalFor(response).reason).toBeInstanceOf(ClientGoneError);
  });

  it.each(['before', 'after'])('does not abort after the response is complete: requested %s', (when) => {
    const drain = new Drain();
    const response = new FakeResponse();
    if (when === 'after') response.close(true);
    const signal = drain.signalFor(response);
    if (when === 'before') response.close(true);
    drain.shed();

    expect(signal.aborted).toBe(false);
  });

  it('keeps its first reason when the client disconnects after the drain has begun', () => {
    const drain = new Drain();
    const response = new FakeResponse();
    const signal = drain.signalFor(response);
    drain.shed();
    response.close(false);

    expect(signal.reason).toBeInstanceOf(DrainStartedError);
  });

  it('keeps no reference to a finished response', async () => {
    const drain = new Drain();
    let aborted = 0;
    const count = (response: FakeResponse) =>
      drain.signalFor(response).addEventListener('abort', () => aborted++, { once: true });
    for (let i = 0; i < 100; i++) {
      const response = new FakeResponse();
      count(response);
      response.close(true);
    }
    count(new FakeResponse());
    drain.shed();

    expect(aborted).toBe(1);
  });
});

describe('Drain.signalFor, on real connections', () => {
  const servers = new TestServers();
  afterEach(() => servers.closeAll());

  it.each(['http', 'h2c'] as const)(
    'distinguishes a client that disconnects from a normal end over %s',
    async (kind) => {
      const drain = new Drain();
      const server = kind === 'http' ? servers.http() : servers.h2c();
      drain.attach(server);
      const open = async (path: string): Promise<() => void> => {
        if (kind === 'h2c') {
          const session = await servers.session(server, 'http');
          openStream(session, path);
          return () => session.destroy();
        }
        const client = await servers.client(server);
        client.request(`GET ${path}`);
        return () => client.abort();
      };
      const abort = await open('/gone');
      await open('/done');
      const [gone, done] = [await servers.exchange('/gone'), await servers.exchange('/done')];
      const signals = [gone, done].map(({ response }) => drain.signalFor(response));

      done.response.end('answer');
      abort();

      await until(() => drain.snapshot().inFlight === 0);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
      expect(drain.signalFor(gone.response).reason).toBeInstanceOf(ClientGoneError);
      expect(drain.signalFor(done.response).aborted).toBe(false);
    },
  );
});
