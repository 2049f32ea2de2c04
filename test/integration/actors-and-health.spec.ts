import type { AddressInfo, Server } from 'node:net';
import { type INestApplication, Injectable } from '@nestjs/common';
import { Actor, type ActorRef, ActorSystemModule, InjectActor, Kill, Receive } from '@roost/actors';
import { ActorSystemHealthIndicator } from '@roost/actors/terminus';
import { HealthModule } from '@roost/health';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, CoordinatedShutdownModule, Phase } from '@roost/shutdown';
import { TestApps } from '@roost/shutdown/testing';
import { ADAPTERS } from '../support/http-adapters.js';
import { request } from '../support/http-client.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

class Sum {
  constructor(readonly numbers: readonly number[]) {}
}

@Actor()
class SumActor {
  @Receive(Sum)
  sum({ numbers }: Sum): number {
    return numbers.reduce((a, b) => a + b, 0);
  }
}

@Injectable()
class Calculator {
  constructor(@InjectActor(SumActor) readonly sums: ActorRef<Sum>) {}
}

const rootModule = () => ({
  imports: [
    CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), signals: [] }),
    ActorSystemModule.forRoot({ logger: new RecordingLogger() }),
    ActorSystemModule.forFeature([SumActor]),
    HealthModule.forRoot({ indicators: { ready: [ActorSystemHealthIndicator] } }),
  ],
  providers: [Calculator],
});

interface JsonAnswer {
  status: number;
  body: { info?: Record<string, object>; error?: Record<string, object> };
}

const apps = new TestApps();
let app: INestApplication;
afterEach(() => apps.closeAll());

const ask = async (path: string): Promise<JsonAnswer> => {
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  const { status, body } = await request(port, path);
  return { status, body: JSON.parse(body) as JsonAnswer['body'] };
};

describe.each(ADAPTERS)('actors and health on %s', (_, createAdapter) => {
  beforeEach(async () => {
    app = await apps.listening(rootModule(), createAdapter());
  });

  it('report the state of the actors in the readiness probe', async () => {
    const { sums } = app.get(Calculator);
    expect(await sums.ask<number>(() => new Sum([1, 2]))).toBe(3);

    expect(await ask('/health/ready')).toMatchObject({
      status: 200,
      body: { info: { actors: { status: 'up', actors: 1, restarts: 0, deadLetters: 0 } } },
    });
  });

  it('fail readiness but not liveness when a top-level actor from the boot has stopped', async () => {
    const { sums } = app.get(Calculator);
    sums.tell(Kill);
    await sums.whenTerminated();

    expect(await ask('/health/ready')).toMatchObject({
      status: 503,
      body: { error: { actors: { status: 'down', ended: ['/user/sum'] } } },
    });
    expect((await ask('/health/live')).status).toBe(200);
  });

  it('keep actors answering until the last phase, while readiness fails', async () => {
    const { sums } = app.get(Calculator);
    const seen: unknown[] = [];
    app.get(CoordinatedShutdown).addTask(Phase.BeforeActorSystemTerminate, 'look', async () => {
      seen.push(await sums.ask<number>(() => new Sum([2, 3])), (await ask('/health/ready')).status);
    });

    await app.close();

    expect(seen).toEqual([5, 503]);
    await expect(sums.ask<number>(() => new Sum([1]))).rejects.toMatchObject({ code: 'ACTORS_UNDELIVERED' });
  });
});
