import '@roost/shutdown/early';
import { NestFactory } from '@nestjs/core';
import { enableCoordinatedShutdown } from '@roost/shutdown';
import { AppModule } from './app.module.js';

const port = Number(process.env.PORT ?? 3000);

const app = await NestFactory.create(AppModule);
enableCoordinatedShutdown(app);
await app.listen(port);
console.log(`Listening on ${await app.getUrl()} - try it, then stop it with Ctrl+C.`);
