import type { HttpServer } from '@nestjs/common';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown } from '../core/index.js';
import { FakeProcess } from '../core/process/fake-process.js';
import { guardAdapter } from './adapter-guards.js';
import type { NestHost } from './host.js';

const setup = (adapter: object) => {
  const steps: string[] = [];
  const shutdown = new CoordinatedShutdown({ logger: new RecordingLogger() }, new FakeProcess());
  const host = { phasesOver: async () => void steps.push('phases') } as Partial<NestHost> as NestHost;
  guardAdapter(adapter as HttpServer, shutdown, host);
  return { steps, shutdown };
};

describe('guardAdapter', () => {
  it('runs the phases after the beforeClose of the adapter', async () => {
    const adapter = { beforeClose: async () => void steps.push('adapter'), listen: () => undefined };
    const { steps } = setup(adapter);
    await adapter.beforeClose();
    expect(steps).toEqual(['adapter', 'phases']);
  });

  it('listens until the shutdown starts, and refuses to listen afterwards', async () => {
    const adapter = { beforeClose: () => undefined, listen: (port: number) => `listens on ${port}` };
    const { shutdown } = setup(adapter);
    expect(adapter.listen(80)).toBe('listens on 80');
    await shutdown.run();
    expect(() => adapter.listen(80)).toThrow(expect.objectContaining({ code: 'SHUTDOWN_APPLICATION_STOPPED' }));
  });

  it.each(['beforeClose', 'listen'])('refuses an adapter of an unsupported Nest version without %s()', (method) => {
    const adapter: Record<string, unknown> = { beforeClose: () => undefined, listen: () => undefined };
    delete adapter[method];
    expect(() => setup(adapter)).toThrow(
      expect.objectContaining({ code: 'KERNEL_MISSING_METHOD', method, declaredBy: 'CoordinatedShutdownModule' }),
    );
  });
});
