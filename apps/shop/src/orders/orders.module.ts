import { type DynamicModule, Module } from '@nestjs/common';
import { ActorSystemModule } from '@roost/actors';
import { Closing } from './closing.js';
import { OrderBook } from './order-book.js';
import { OrdersActor } from './orders.actor.js';
import { OrdersController } from './orders.controller.js';
import { Orders } from './orders.js';
import { ShippingProcess } from './shipping.process.js';

@Module({})
export class OrdersModule {
  static forRoot(book: OrderBook): DynamicModule {
    return {
      module: OrdersModule,
      global: true,
      imports: [ActorSystemModule.forFeature([OrdersActor])],
      controllers: [OrdersController],
      providers: [{ provide: OrderBook, useValue: book }, Orders, ShippingProcess, Closing],
      exports: [Orders],
    };
  }
}
