import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { SnapshotNode } from './nodes.js';
import { Snapshot } from './snapshot.js';

@ApiTags('statistics')
@Controller('stats')
export class StatisticsController {
  constructor(private readonly snapshot: SnapshotNode) {}

  /** Of the orders that were confirmed since the start of the process. */
  @Get()
  @ApiOkResponse({ type: Snapshot })
  latest(): Snapshot {
    return this.snapshot.last;
  }
}
