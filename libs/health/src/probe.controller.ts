import { Controller, Get, Res, SetMetadata, type Type, VERSION_NEUTRAL } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { SERVE_WHILE_DRAINING } from '@roost/kernel';
import type { Probe } from './options.js';
import { Probes } from './probes.js';

/** Creates a controller with GET routes. Express and Fastify also answer HEAD requests with them. */
export function createProbeController(path: string, decorators: readonly ClassDecorator[]): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
  class ProbeController {
    constructor(
      private readonly probes: Probes,
      private readonly adapterHost: HttpAdapterHost,
    ) {}

    @Get('live')
    @SetMetadata(SERVE_WHILE_DRAINING, true)
    live(@Res() response: unknown): Promise<void> {
      return this.answer('live', response);
    }

    @Get('ready')
    @SetMetadata(SERVE_WHILE_DRAINING, true)
    ready(@Res() response: unknown): Promise<void> {
      return this.answer('ready', response);
    }

    @Get('startup')
    @SetMetadata(SERVE_WHILE_DRAINING, true)
    startup(@Res() response: unknown): Promise<void> {
      return this.answer('startup', response);
    }

    /** Writes to the response directly, so that the response handling of the application does not change it. */
    private async answer(probe: Probe, response: unknown): Promise<void> {
      const { status, body } = await this.probes.answer(probe);
      const { httpAdapter } = this.adapterHost;
      httpAdapter.setHeader(response, 'Cache-Control', 'no-store');
      httpAdapter.reply(response, body, status);
    }
  }
  // As if the decorators were written above the class.
  return Reflect.decorate([...decorators], ProbeController) as Type;
}
