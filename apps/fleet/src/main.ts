import '@roost/shutdown/early';
import 'reflect-metadata';
import { mkdir } from 'node:fs/promises';
import { Logger } from '@nestjs/common';
import { launch, WorkersError } from '@roost/workers';
import { config } from './config.js';
import { LabelerModule } from './labeler.module.js';
import { MailerModule } from './mailer.module.js';
import { QuietLogger } from './quiet-logger.js';

// The mailer and the labeler also run this script, up to the call to launch().
Logger.overrideLogger(new QuietLogger());
await mkdir(config.spoolDir, { recursive: true });

await launch({
  app: './web.js',
  http: config.workers,
  processes: [
    { name: 'mailer', module: MailerModule },
    { name: 'labeler', module: LabelerModule },
  ],
  statusSocket: config.statusSocket,
}).catch((error: unknown) => {
  if (!(error instanceof WorkersError)) throw error;
  console.error(error.message);
  process.exit(1);
});

const url = `http://${config.host}:${config.port || '<port>'}`;
console.log(`
Try it:
  curl ${url}/
  curl ${url}/mails -H 'content-type: application/json' -d '{"to":"ann@example.com","subject":"Hello"}'
  curl ${url}/labels -H 'content-type: application/json' -d '{"to":"Ann, 1 Main St","parcel":"42"}'
Rolling restart: kill -HUP ${process.pid}
Stop: Ctrl+C, or kill ${process.pid}
`);
