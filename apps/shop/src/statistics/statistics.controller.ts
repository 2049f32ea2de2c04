import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { SnapshotNode } from './nodes.js';
import { Snapshot } from './snapshot.js';

@ApiTags('statistics')
@Controller('stats')
export class StatisticsController {
  constructor(private readonly snapshot: SnapshotNode) {}

  @Get()
  @ApiOperation({ summary: 'Show totals of the orders confirmed since the process started' })
  @ApiOkResponse({ type: Snapshot })
  latest(): Snapshot {
    return this.snapshot.last;
  }
}
