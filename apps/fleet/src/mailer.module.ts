import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, Module } from '@nestjs/common';
import { RoostModule } from '@roost/nest';
import { BackgroundProcess, type RunToken } from '@roost/workers';
import { type Mail, mailOf } from './jobs.js';
import { MailSpool } from './spools.js';

@BackgroundProcess()
export class MailerProcess {
  private readonly logger = new Logger('Mailer');

  constructor(private readonly spool: MailSpool) {}

  /** On shutdown it claims no further job and sends the current mail. */
  async handle(run: RunToken): Promise<void> {
    await run.consume(
      (signal) => this.spool.claims(signal),
      (claim) => this.spool.work(claim, (job) => this.send(claim.id, mailOf(job))),
      { onError: (error, { id }) => this.logger.error(`mail ${id} failed and was set aside: ${String(error)}`) },
    );
  }

  /** Stands in for a slow mail server. */
  private async send(id: string, { to, subject }: Mail): Promise<void> {
    this.logger.log(`mail ${id} to ${to}: ${subject}`);
    await sleep(100);
    this.logger.log(`mail ${id} sent`);
  }
}

@Module({
  imports: [RoostModule.forRoot({ drain: false, health: false, actors: false })],
  providers: [MailSpool, MailerProcess],
})
export class MailerModule {}
