import { ConsoleLogger } from '@nestjs/common';

/** What Nest says about its own boot, which every process would say again. */
const BOOT = ['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'];

export class QuietLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!BOOT.includes(String(rest.at(-1)))) super.log(message, ...rest);
  }
}
