import { ConsoleLogger } from '@nestjs/common';

/** Contexts of Nest's boot messages, which all six processes would repeat. */
const BOOT = ['NestFactory', 'InstanceLoader', 'NestMicroservice'];

export class QuietLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!BOOT.includes(String(rest.at(-1)))) super.log(message, ...rest);
  }
}
