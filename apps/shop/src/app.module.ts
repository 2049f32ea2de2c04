import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { RoostModule } from '@roost/nest';
import { AdminModule } from './admin/admin.module.js';
import { ArticlesModule } from './articles/articles.module.js';
import { CartsModule } from './carts/carts.module.js';
import { ShopConfig } from './config.js';
import { DataFolder } from './data/data-folder.js';
import type { OrderBook } from './orders/order-book.js';
import { OrdersModule } from './orders/orders.module.js';
import { ShopFilter } from './shop.filter.js';
import { StatisticsModule } from './statistics/statistics.module.js';

@Global()
@Module({})
export class AppModule {
  static forRoot(config: ShopConfig, folder: DataFolder, book: OrderBook): DynamicModule {
    return {
      module: AppModule,
      imports: [
        // Adds shutdown, drain, health, actors and background processes.
        RoostModule.forRoot({
          // Shorter than the defaults, so that a complete shutdown fits into 30 s.
          shutdown: { defaultPhaseTimeoutMs: 3_000 },
          actors: { name: 'actors', askTimeoutMs: 3_000, shutdownTimeoutMs: 5_000 },
        }),
        ArticlesModule,
        CartsModule,
        OrdersModule.forRoot(book),
        StatisticsModule,
        // Without a token the route does not exist, so there is nothing to guess.
        ...(config.adminToken === undefined ? [] : [AdminModule]),
      ],
      providers: [
        { provide: ShopConfig, useValue: config },
        { provide: DataFolder, useValue: folder },
        { provide: APP_FILTER, useClass: ShopFilter },
      ],
      exports: [ShopConfig, DataFolder],
    };
  }
}
