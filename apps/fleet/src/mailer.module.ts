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

  /** At a shutdown nothing more is claimed, and the mail in hand is sent. */
  async handle(run: RunToken): Promise<void> {
    await run.consume(
      (signal) => this.spool.claims(signal),
      (claim) => this.spool.work(claim, (job) => this.send(claim.id, mailOf(job))),
      { onError: (error, { id }) => this.logger.error(`mail ${id} was put aside: ${String(error)}`) },
    );
  }

  /** In place of a mail server that takes its time. */
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
