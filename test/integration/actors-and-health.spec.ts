import { get } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { type INestApplication, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Actor, type ActorRef, ActorSystemModule, InjectActor, Kill, Receive } from '@roost/actors';
import { ActorSystemHealthIndicator } from '@roost/actors/terminus';
import { HealthModule } from '@roost/health';
import { CoordinatedShutdown, CoordinatedShutdownModule, Phase } from '@roost/shutdown';

const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };
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

@Module({
  imports: [
    CoordinatedShutdownModule.forRoot({ logger: quiet, signals: [] }),
    ActorSystemModule.forRoot({ logger: quiet }),
    ActorSystemModule.forFeature([SumActor]),
    HealthModule.forRoot({ indicators: { ready: [ActorSystemHealthIndicator] } }),
  ],
  providers: [Calculator],
})
class AppModule {}

interface Answer {
  status: number;
  body: { info?: Record<string, object>; error?: Record<string, object> };
}

let app: INestApplication;
afterEach(() => app.close());

const ask = (path: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
    get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => {
        resolve({ status: response.statusCode!, body: JSON.parse(text) as Answer['body'] });
      });
    }).on('error', reject);
  });

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
])('actors and health together on %s', (_, createAdapter) => {
  beforeEach(async () => {
    app = await NestFactory.create(AppModule, createAdapter(), { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
  });

  it('readiness tells how the actors are', async () => {
    const { sums } = app.get(Calculator);
    expect(await sums.ask<number>(() => new Sum([1, 2]))).toBe(3);

    expect(await ask('/health/ready')).toMatchObject({
      status: 200,
      body: { info: { actors: { status: 'up', actors: 1, restarts: 0, deadLetters: 0 } } },
    });
  });

  it('readiness fails when an actor has ended that was there from the boot, liveness does not', async () => {
    const { sums } = app.get(Calculator);
    sums.tell(Kill);
    await sums.whenTerminated();

    expect(await ask('/health/ready')).toMatchObject({
      status: 503,
      body: { error: { actors: { status: 'down', ended: ['/user/sum'] } } },
    });
    expect((await ask('/health/live')).status).toBe(200);
  });

  it('actors answer until the last phase, while readiness is down', async () => {
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
