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

  /** On shutdown it claims no further job and finishes the current label. */
  async handle(run: RunToken): Promise<void> {
    await run.consume(
      (signal) => this.spool.claims(signal),
      (claim) => this.spool.work(claim, (job) => this.print(claim.id, labelOf(job))),
      { onError: (error, { id }) => this.logger.error(`label ${id} failed and was set aside: ${String(error)}`) },
    );
  }

  /** Stands in for a slow label printer. */
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
