import { ConsoleLogger } from '@nestjs/common';

/** What Nest says about its own boot, which six processes would say six times. */
const BOOT = ['NestFactory', 'InstanceLoader', 'NestMicroservice'];

export class QuietLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!BOOT.includes(String(rest.at(-1)))) super.log(message, ...rest);
  }
}
