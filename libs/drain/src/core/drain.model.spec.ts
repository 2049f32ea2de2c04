import { once } from 'node:events';
import fc from 'fast-check';
import { RecordingLogger } from '@roost/kernel/testing';
import { Drain } from './drain.js';
import { RawClient } from './http/raw-client.fixture.js';
import { listening, TestServers } from './http/test-servers.fixture.js';
import { turns, until } from './until.fixture.js';

const { jest } = import.meta;
jest.setTimeout(60_000);

type Step =
  | { type: 'open' }
  | { type: 'send'; connection: number }
  | { type: 'answer'; request: number }
  | { type: 'abort'; connection: number }
  | { type: 'announce' }
  | { type: 'shed' };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'open' } as const) },
  { weight: 8, arbitrary: fc.record({ type: fc.constant('send' as const), connection: fc.nat(7) }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('answer' as const), request: fc.nat(15) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('abort' as const), connection: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'announce' } as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'shed' } as const) },
);

/** The responses that a connection must receive, in this order. */
interface ModelRequest {
  readonly path: string;
  readonly isShed: boolean;
  isAnswered: boolean;
}

interface ModelConnection {
  readonly client: RawClient;
  readonly requests: ModelRequest[];
  aborted: boolean;
}

/** Predicts the work in flight without knowing about sockets. */
class Model {
  readonly connections: ModelConnection[] = [];
  admitted = 0;
  shed = 0;
  state: 'serving' | 'announced' | 'shedding' = 'serving';

  /** Responses are sent in the order of the requests, so an answered request may still have to wait. */
  inFlight(): number {
    return this.connections
      .filter(({ aborted }) => !aborted)
      .map(({ requests }) => {
        const waiting = requests.findIndex(({ isAnswered }) => !isAnswered);
        return waiting < 0 ? 0 : requests.slice(waiting).filter(({ isShed }) => !isShed).length;
      })
      .reduce((a, b) => a + b, 0);
  }

  /** After the drain has begun, a connection ends after its last response. */
  isUsable({ aborted, requests }: ModelConnection): boolean {
    const isOver = requests.length > 0 && requests.every(({ isAnswered }) => isAnswered);
    const saidClose = requests.some(({ isShed }) => isShed);
    return !aborted && !saidClose && !(this.state !== 'serving' && isOver) && !this.hasEnded.has(requests);
  }

  /** Connections that a response ends, now or as soon as it is sent. */
  readonly hasEnded = new Set<ModelRequest[]>();
}

class Run {
  readonly model = new Model();
  readonly servers = new TestServers();
  readonly server = this.servers.http();
  readonly drain = new Drain({ logger: new RecordingLogger(), settleMs: 1 });
  #paths = 0;

  async start(): Promise<void> {
    this.drain.attach(this.server);
    await listening(this.server);
  }

  async do(step: Step): Promise<void> {
    const { model, drain } = this;
    switch (step.type) {
      case 'open':
        if (model.connections.length < 8) {
          const accepted = once(this.server, 'connection');
          const client = await RawClient.connect(this.server);
          await accepted;
          model.connections.push({ client, requests: [], aborted: false });
        }
        break;
      case 'send':
        await this.#send(model.connections[step.connection]);
        break;
      case 'answer':
        await this.#answer(step.request);
        break;
      case 'abort':
        this.#abort(model.connections[step.connection]);
        break;
      case 'announce':
        drain.announce();
        if (model.state === 'serving') model.state = 'announced';
        break;
      case 'shed':
        drain.shed();
        model.state = 'shedding';
        break;
    }
    await this.expectCounts();
  }

  async expectCounts(): Promise<void> {
    const { model, drain } = this;
    await until(() => drain.meter.inFlight === model.inFlight());
    await turns(2);
    expect(drain.snapshot()).toMatchObject({
      inFlight: model.inFlight(),
      admitted: model.admitted,
      shed: model.shed,
      draining: model.state !== 'serving',
    });
    expect(drain.inFlight()).toHaveLength(model.inFlight());
  }

  async finish(): Promise<void> {
    const { drain, model } = this;
    await this.do({ type: 'shed' });
    const finished = drain.finish(30_000);
    for (let i = this.#unanswered().length; i > 0; i--) await this.#answer(0);
    await finished;
    expect(drain.snapshot()).toMatchObject({ inFlight: 0, forced: 0 });
    await drain.close();
    for (const { client, requests, aborted } of model.connections) {
      await client.untilClosed();
      if (aborted) continue;
      // Each request gets exactly one response, in order, and none that belongs to another request.
      expect(client.statuses).toEqual(requests.map(({ isShed }) => (isShed ? 503 : 200)));
      const bodies = requests.filter(({ isShed }) => !isShed).map(({ path }) => `answer to ${path};`);
      expect(client.received.match(/answer to \/\d+;/g) ?? []).toEqual(bodies);
    }
    const seen = this.servers.exchanges.length;
    expect(seen).toBe(model.admitted);
  }

  async #send(connection: ModelConnection | undefined): Promise<void> {
    const { model } = this;
    if (!connection || !model.isUsable(connection) || connection.requests.length >= 5) return;
    const path = `/${this.#paths++}`;
    const isShed = model.state === 'shedding';
    connection.requests.push({ path, isShed, isAnswered: isShed });
    connection.client.request(`GET ${path}`);
    if (isShed) {
      model.shed++;
      await until(() => this.drain.meter.shed === model.shed);
    } else {
      model.admitted++;
      await this.servers.exchange(path);
    }
  }

  #unanswered(): { connection: ModelConnection; request: ModelRequest }[] {
    return this.model.connections
      .filter(({ aborted }) => !aborted)
      .flatMap((connection) => connection.requests.map((request) => ({ connection, request })))
      .filter(({ request }) => !request.isAnswered);
  }

  async #answer(index: number): Promise<void> {
    const { connection, request } = this.#unanswered()[index] ?? {};
    if (!connection || !request) return;
    request.isAnswered = true;
    // Closed while this was the last request, so any later data is not read.
    const isLast = connection.requests.at(-1) === request;
    if (isLast && this.model.state !== 'serving') this.model.hasEnded.add(connection.requests);
    (await this.servers.exchange(request.path)).response.end(`answer to ${request.path};`);
  }

  #abort(connection: ModelConnection | undefined): void {
    if (!connection || connection.aborted) return;
    connection.aborted = true;
    connection.client.abort();
  }
}

describe('Drain compared with a model', () => {
  it('agrees with the counts of the model, answers each admitted request once, and ends with nothing in flight', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 40 }), async (steps) => {
        const run = new Run();
        try {
          await run.start();
          for (const step of steps) await run.do(step);
          await run.finish();
        } finally {
          await run.drain.close();
          await run.servers.closeAll();
        }
      }),
      { numRuns: 60 },
    );
  });
});
