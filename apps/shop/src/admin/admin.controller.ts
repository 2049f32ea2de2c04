import { Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBearerAuth, ApiTags, ApiUnauthorizedResponse } from '@nestjs/swagger';
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
  @ApiAcceptedResponse({ description: 'It is going to stop' })
  @ApiUnauthorizedResponse()
  stop(): { message: string } {
    // Not awaited: the shutdown waits for requests in flight, and this is one.
    void this.shutdown.run(new ProcessDoneReason(0, 'admin-stop'));
    return { message: 'The shop is closing' };
  }
}
