import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, Module } from '@nestjs/common';
import { RoostModule } from '@roost/nest';
import { BackgroundProcess, type RunToken } from '@roost/workers';
import { type Label, labelOf } from './jobs.js';
import { LabelSpool } from './spools.js';

@BackgroundProcess()
export class LabelerProcess {
  private readonly logger = new Logger('Labeler');

  constructor(private readonly spool: LabelSpool) {}

  /** At a shutdown nothing more is claimed, and the label in hand is printed. */
  async handle(run: RunToken): Promise<void> {
    await run.consume(
      (signal) => this.spool.claims(signal),
      (claim) => this.spool.work(claim, (job) => this.print(claim.id, labelOf(job))),
      { onError: (error, { id }) => this.logger.error(`label ${id} was put aside: ${String(error)}`) },
    );
  }

  /** In place of a label printer that takes its time. */
  private async print(id: string, { to, parcel }: Label): Promise<void> {
    this.logger.log(`label ${id} to ${to}: ${parcel}`);
    await sleep(100);
    this.logger.log(`label ${id} printed`);
  }
}

@Module({
  imports: [RoostModule.forRoot({ drain: false, health: false, actors: false })],
  providers: [LabelSpool, LabelerProcess],
})
export class LabelerModule {}
