import { ConsoleLogger } from '@nestjs/common';

const ABOUT_THE_START = ['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'];

/** Nest's logger without its list of modules and routes, so that the welcome text comes first. */
export class ShopLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (!ABOUT_THE_START.includes(rest.at(-1) as string)) super.log(message, ...rest);
  }
}
