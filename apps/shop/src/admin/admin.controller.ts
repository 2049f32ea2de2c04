import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiOperation, ApiTags, ApiUnauthorizedResponse } from '@nestjs/swagger';
import { CoordinatedShutdown, ProcessDoneReason } from '@roost/shutdown';
import { TokenGuard } from './token.guard.js';

@ApiTags('admin')
@ApiBearerAuth()
@Controller('admin')
@UseGuards(TokenGuard)
export class AdminController {
  constructor(private readonly shutdown: CoordinatedShutdown) {}

  @Post('stop')
  @HttpCode(202)
  @ApiOperation({ summary: 'Shut the shop down gracefully' })
  @ApiAcceptedResponse({ description: 'The shutdown has started' })
  @ApiUnauthorizedResponse({ description: 'Missing or wrong token' })
  stop(): { message: string } {
    // Not awaited: the shutdown waits for in-flight requests, including this one.
    void this.shutdown.run(new ProcessDoneReason(0, 'admin-stop'));
    return { message: 'The shop is shutting down' };
  }
}
