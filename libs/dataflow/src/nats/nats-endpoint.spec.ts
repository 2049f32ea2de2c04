import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Msg, NatsConnection, Status, SubscriptionOptions } from '@nats-io/transport-node';
import { ManualClock } from '@roost/time/testing';
import type { DataflowError } from '../core/errors/dataflow.error.js';
import { NatsEndpoint } from './nats-endpoint.js';

/** A broker connection that the test controls. */
class FakeConnection {
  readonly published: string[] = [];
  readonly steps: string[] = [];
  readonly info = { max_payload: 500 };
  inbox = '';
  deliver!: (error: Error | null, message: Msg) => void;
  flushes: Promise<void> = Promise.resolve();
  #statuses: Status[] = [];
  #wake: () => void = () => undefined;
  #end!: (error?: Error) => void;
  readonly #ended = new Promise<Error | void>((resolve) => (this.#end = resolve));
  #isOver = false;

  getServer = (): string => '127.0.0.1:4222';
  closed = (): Promise<Error | void> => this.#ended;

  subscribe(subject: string, { callback }: SubscriptionOptions): void {
    this.inbox = subject;
    this.deliver = callback as typeof this.deliver;
  }

  publish(subject: string, bytes: Uint8Array): void {
    this.published.push(`${subject} ${Buffer.from(bytes).toString()}`);
  }

  flush(): Promise<void> {
    this.steps.push('flush');
    return this.flushes;
  }

  close(): Promise<void> {
    this.steps.push('close');
    this.over();
    return Promise.resolve();
  }

  /** Sends a status to the endpoint, as the client does. */
  async tell(status: Status): Promise<void> {
    this.#statuses.push(status);
    this.#wake();
    await nextTurn();
  }

  over(error?: Error): void {
    this.#isOver = true;
    this.#end(error);
    this.#wake();
  }

  async *status(): AsyncGenerator<Status> {
    while (!this.#isOver) {
      yield* this.#statuses.splice(0);
      if (this.#statuses.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function setup(maxFrameBytes = 100) {
  const connection = new FakeConnection();
  const clock = new ManualClock();
  const events: string[] = [];
  const errors: DataflowError[] = [];
  const endpoint = new NatsEndpoint(
    connection as unknown as NatsConnection,
    { app: 'shop', name: 'a', maxFrameBytes },
    {
      frame: (peer, bytes) => events.push(`${peer}: ${Buffer.from(bytes).toString()}`),
      up: (peer) => events.push(`${peer} up`),
      down: (peer, why) => events.push(`${peer} down: ${why}`),
      failed: (error, peer) => {
        events.push(`${peer ?? 'broker'} failed`);
        errors.push(error);
      },
    },
    clock,
  );
  const receive = (subject: string, text: string): void =>
    connection.deliver(null, { subject, data: Buffer.from(text) } as unknown as Msg);
  return { connection, clock, endpoint, events, errors, receive };
}

const hello = Buffer.from('hello');
const LOST: Status = { type: 'disconnect', server: 'x' };
const BACK: Status = { type: 'reconnect', server: 'x' };

describe('NatsEndpoint', () => {
  it('publishes to the subject of a peer, and receives from linked peers only', async () => {
    const { connection, endpoint, events, receive } = setup();
    endpoint.link('b');
    endpoint.link('b');
    expect(events).toEqual([]);
    await nextTurn();

    expect(endpoint.send('b', Buffer.from('he'), Buffer.from('llo'))).toBe(true);
    expect(endpoint.send('b', hello)).toBe(true);
    receive('roost.df.shop.a.b', 'hi');
    receive('roost.df.shop.a.c', 'stranger');
    receive('roost.df.shop.a.%', 'nobody');

    expect(connection.inbox).toBe('roost.df.shop.a.*');
    expect(connection.published).toEqual(['roost.df.shop.b.a hello', 'roost.df.shop.b.a hello']);
    expect(events).toEqual(['b up', 'b: hi']);
    expect(endpoint.send('c', hello)).toBe(false);
  });

  it("uses the lower of the broker's and the owner's frame limit", () => {
    expect([setup(100).endpoint.maxFrameBytes, setup(1_000).endpoint.maxFrameBytes]).toEqual([100, 500]);
  });

  it('rejects a frame that is too long, and names its sender', async () => {
    const { endpoint, events, errors, receive } = setup(4);
    endpoint.link('b');
    await nextTurn();

    receive('roost.df.shop.a.b', 'hello');

    expect(events).toEqual(['b up', 'b failed']);
    expect(errors).toMatchObject([{ code: 'DATAFLOW_OVERSIZED_FRAME', peer: 'b', bytes: 5, limit: 4 }]);
  });

  it('publishes nothing while the broker is unreachable, and reports its return', async () => {
    const { connection, endpoint, events } = setup();
    endpoint.link('b');
    await connection.tell(LOST);
    await connection.tell(LOST);
    await connection.tell({ type: 'reconnecting' });
    endpoint.link('c');
    await nextTurn();

    expect(endpoint.send('b', hello)).toBe(false);
    expect(connection.published).toEqual([]);
    await connection.tell(BACK);

    expect(events).toEqual(['b up', 'b down: lost the connection to the broker at 127.0.0.1:4222', 'b up', 'c up']);
    expect(endpoint.send('b', hello)).toBe(true);
  });

  it('ends the link after unlink', async () => {
    const { connection, endpoint, events, receive } = setup();
    endpoint.link('b');
    await nextTurn();
    endpoint.unlink('b');
    endpoint.unlink('b');

    receive('roost.df.shop.a.b', 'late');
    await nextTurn();

    expect(endpoint.send('b', hello)).toBe(false);
    expect(events).toEqual(['b up', 'b down: unlinked']);
    endpoint.link('b');
    endpoint.unlink('b');
    endpoint.link('b');
    await nextTurn();
    expect([events.slice(2), connection.published]).toEqual([['b up', 'b up'], []]);
  });

  it('reports errors of the broker', async () => {
    const { connection, events, errors } = setup();

    await connection.tell({ type: 'error', error: new Error('permissions violation') });
    connection.deliver(new Error('no subscription'), {} as Msg);

    expect(events).toEqual(['broker failed', 'broker failed']);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('NATS at 127.0.0.1:4222 reported an error: permissions violation. Check that'),
      expect.stringContaining('NATS at 127.0.0.1:4222 refused a subscription: no subscription. Check that'),
    ]);
  });

  it('reports a connection that was closed permanently', async () => {
    const { connection, endpoint, events, errors } = setup();
    endpoint.link('b');
    await nextTurn();

    connection.over(new Error('expired'));
    await nextTurn();

    expect(events.slice(1)).toEqual(['b down: the connection to the broker was closed', 'broker failed']);
    expect(errors[0]!.message).toContain('closed the connection permanently: expired');
    expect(endpoint.send('b', hello)).toBe(false);
  });

  it('flushes once before it closes', async () => {
    const { connection, clock, endpoint, events, receive } = setup();
    endpoint.link('b');
    await nextTurn();
    const closed = endpoint.close();

    expect(endpoint.close()).toBe(closed);
    expect(endpoint.send('b', hello)).toBe(false);
    receive('roost.df.shop.a.b', 'late');
    endpoint.link('c');
    await closed;
    await nextTurn();

    expect([connection.steps, events, clock.pendingTimers]).toEqual([['flush', 'close'], ['b up'], 0]);
  });

  it.each([
    ['does not answer', new Promise<void>(() => undefined)],
    ['disconnects in the meantime', Promise.reject(new Error('disconnected'))],
  ])('closes when the broker %s', async (_what, flushes) => {
    const { connection, clock, endpoint } = setup();
    connection.flushes = flushes;

    const closed = endpoint.close();
    clock.advance(2_000);
    await closed;

    expect([connection.steps, clock.pendingTimers]).toEqual([['flush', 'close'], 0]);
  });

  it('does not wait for an unreachable broker', async () => {
    const { connection, endpoint } = setup();
    await connection.tell(LOST);

    await endpoint.close();

    expect(connection.steps).toEqual(['close']);
  });
});
