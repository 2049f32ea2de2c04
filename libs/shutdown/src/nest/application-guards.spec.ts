import type { INestApplicationContext } from '@nestjs/common';
import { MissingMethodError } from '@roost/kernel';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown } from '../core/index.js';
import { FakeProcess } from '../core/process/fake-process.js';
import { guardApplication } from './application-guards.js';
import type { NestHost } from './host.js';

const METHODS = {
  context: ['close', 'prepareClose', 'init'],
  microservice: ['close', 'prepareClose', 'init', 'listen', 'getTransportServer'],
  http: ['close', 'prepareClose', 'init', 'listen', 'startAllMicroservices', 'getHttpAdapter'],
} as const;

type Kind = keyof typeof METHODS;

const applicationOf = (kind: Kind, transport: object = { listen: () => undefined }) =>
  Object.fromEntries(
    METHODS[kind].map((name) => [name, () => (name === 'getTransportServer' ? transport : undefined)]),
  );

const guard = (app: object): void => {
  const shutdown = new CoordinatedShutdown({ logger: new RecordingLogger() }, new FakeProcess());
  const host = { ownApp: () => undefined } as Partial<NestHost> as NestHost;
  guardApplication(app as INestApplicationContext, shutdown, host);
};

const missing = (method: string) =>
  expect.objectContaining({
    code: 'KERNEL_MISSING_METHOD',
    method,
    declaredBy: 'enableCoordinatedShutdown()',
  }) as Error;

describe('guardApplication', () => {
  it.each(['context', 'microservice', 'http'] as const)('replaces only the methods that a %s has', (kind) => {
    const app = applicationOf(kind);
    guard(app);
    expect(Object.getOwnPropertyNames(app)).toEqual(METHODS[kind]);
  });

  it.each<[Kind, string]>([
    ['context', 'close'],
    ['context', 'prepareClose'],
    ['context', 'init'],
    ['microservice', 'getTransportServer'],
    ['http', 'listen'],
    ['http', 'startAllMicroservices'],
  ])('refuses a %s of an unsupported Nest version without %s()', (kind, method) => {
    const app = applicationOf(kind);
    delete app[method];
    expect(() => guard(app)).toThrow(MissingMethodError);
    expect(() => guard(app)).toThrow(missing(method));
  });

  it('refuses a transport without listen()', () => {
    expect(() => guard(applicationOf('microservice', {}))).toThrow(missing('listen'));
  });
});
