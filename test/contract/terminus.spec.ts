import { HealthCheckService, HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { createContext } from './apps.js';

describe('Terminus', () => {
  it('logs a failed check with the replaced logger of its service', async () => {
    const app = await createContext({ imports: [TerminusModule.forRoot({ logger: false })] });
    const service = app.get(HealthCheckService, { strict: false });
    const indicators = app.get(HealthIndicatorService, { strict: false });
    const lines: unknown[] = [];
    const holder = service as unknown as { logger: { error(...args: unknown[]): void } };
    expect(typeof holder.logger.error).toBe('function');
    holder.logger = { error: (...args) => lines.push(args) };

    await expect(service.check([() => indicators.check('database').down()])).rejects.toThrow();
    expect(lines).toHaveLength(1);
    await app.close();
  });
});
