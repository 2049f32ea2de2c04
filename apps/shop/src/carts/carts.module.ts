import { Module } from '@nestjs/common';
import { ActorSystemModule } from '@roost/actors';
import { ArticlesModule } from '../articles/articles.module.js';
import { CartActor } from './cart.actor.js';
import { CartStore } from './cart.store.js';
import { CartsActor } from './carts.actor.js';
import { CartsController } from './carts.controller.js';

@Module({
  imports: [ArticlesModule, ActorSystemModule.forFeature([CartsActor, CartActor])],
  controllers: [CartsController],
  providers: [CartStore],
})
export class CartsModule {}
