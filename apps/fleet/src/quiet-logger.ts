import { ConsoleLogger } from '@nestjs/common';

/** Contexts of Nest's boot messages, which every process would repeat. */
const BOOT = ['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'];

export class QuietLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!BOOT.includes(String(rest.at(-1)))) super.log(message, ...rest);
  }
}
