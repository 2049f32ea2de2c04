// Must come first, so that a signal during startup is not lost.
import '@roost/shutdown/early';
import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { enableCoordinatedShutdown } from '@roost/shutdown';
import type { AddressInfo } from 'node:net';
import { AppModule } from './app.module.js';
import { readConfig } from './config.js';
import { DataFolder } from './data/data-folder.js';
import { addOpenApi } from './openapi.js';
import { OrderBook } from './orders/order-book.js';
import { ShopFault } from './shop-fault.js';
import { ShopLogger } from './shop.logger.js';
import { welcome } from './welcome.js';

try {
  await start();
} catch (error) {
  console.error(error instanceof ShopFault ? error.message : error);
  process.exitCode = 1;
}

async function start(): Promise<void> {
  // Finds configuration and file problems before the application exists.
  const config = readConfig(process.env);
  const folder = await DataFolder.open(config.dataDir);
  const book = await OrderBook.open(folder);

  const module = AppModule.forRoot(config, folder, book);
  const app = await NestFactory.create<NestExpressApplication>(module, { logger: new ShopLogger() });
  enableCoordinatedShutdown(app);
  app.useGlobalPipes(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true }));
  addOpenApi(app, config.adminToken);

  const { host, port } = config;
  await app.listen(port, host).catch((error: NodeJS.ErrnoException) => {
    throw error.syscall === undefined
      ? error
      : new ShopFault([`HOST is "${host}", PORT is "${port}": ${error.message}`]);
  });
  const { port: actualPort } = app.getHttpServer().address() as AddressInfo;
  console.log(welcome(`http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`));
}
