import '@roost/shutdown/early';
import { NestFactory } from '@nestjs/core';
import { enableCoordinatedShutdown } from '@roost/shutdown';
import { AppModule } from './app.module.js';

const { PORT = '3000', HOST = '127.0.0.1' } = process.env;

const app = await NestFactory.create(AppModule);
enableCoordinatedShutdown(app);
await app.listen(Number(PORT), HOST);
console.log(`Listening on ${await app.getUrl()} - try it, then stop it with Ctrl+C.`);
