import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Transport } from '@roost/dataflow';
import { nats } from '@roost/dataflow/nats';

const RETRY_MS = 500;

const logger = new Logger('Broker');

/** NATS with retries: containers start together, and the broker may be ready later than its clients. */
export function patientNats(servers: string, patienceMs: number): Transport {
  const transport = nats({ servers, timeout: 2_000 });
  return {
    async open(self, events) {
      const deadline = performance.now() + patienceMs;
      for (let attempt = 1; ; attempt++) {
        try {
          return await transport.open(self, events);
        } catch (error) {
          if (performance.now() > deadline) throw error;
          if (attempt === 1) logger.warn(`waiting for the broker: ${(error as Error).message}`);
          await sleep(RETRY_MS);
        }
      }
    },
  };
}
