import '@roost/shutdown/early';
import 'reflect-metadata';
import {
  BadRequestException,
  Body,
  Controller,
  Get,
  HttpCode,
  Module,
  Post,
  ServiceUnavailableException,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RoostModule } from '@roost/nest';
import { enableCoordinatedShutdown } from '@roost/shutdown';
import { config } from './config.js';
import { InvalidJobError, labelOf, mailOf } from './jobs.js';
import { QuietLogger } from './quiet-logger.js';
import { type Spool, SpoolFullError } from './spool.js';
import { LabelSpool, MailSpool } from './spools.js';

/** Keeps no state in memory: the client's next request may reach another worker. */
@Controller()
class FleetController {
  constructor(
    private readonly mails: MailSpool,
    private readonly labels: LabelSpool,
  ) {}

  @Get()
  whoAnswers(): { worker: number; pid: number; uptimeSeconds: number } {
    const worker = Number(process.env['ROOST_INSTANCE'] ?? 1);
    return { worker, pid: process.pid, uptimeSeconds: Math.floor(process.uptime()) };
  }

  @Post('mails')
  @HttpCode(202)
  mail(@Body() body: unknown): Promise<{ id: string }> {
    return offer(this.mails, () => mailOf(body));
  }

  @Post('labels')
  @HttpCode(202)
  label(@Body() body: unknown): Promise<{ id: string }> {
    return offer(this.labels, () => labelOf(body));
  }
}

async function offer(spool: Spool, job: () => object): Promise<{ id: string }> {
  try {
    return { id: await spool.offer(job()) };
  } catch (error) {
    if (error instanceof InvalidJobError) throw new BadRequestException(error.message);
    if (error instanceof SpoolFullError) throw new ServiceUnavailableException(error.message);
    throw error;
  }
}

@Module({
  imports: [RoostModule.forRoot({ actors: false })],
  controllers: [FleetController],
  providers: [MailSpool, LabelSpool],
})
class WebModule {}

const app = await NestFactory.create(WebModule, { logger: new QuietLogger() });
enableCoordinatedShutdown(app);
await app.listen(config.port, config.host);
console.log(`listens on ${await app.getUrl()}`);
