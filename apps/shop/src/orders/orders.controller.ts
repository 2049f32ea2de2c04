import { Controller, Get, NotFoundException, Param } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Order } from './order.js';
import { OrderBook } from './order-book.js';

const LONGEST_LIST = 100;

@ApiTags('orders')
@Controller('orders')
export class OrdersController {
  constructor(private readonly book: OrderBook) {}

  @Get()
  @ApiOperation({ summary: 'List up to 100 orders, newest first' })
  @ApiOkResponse({ type: [Order] })
  newest(): Order[] {
    return this.book.newest(LONGEST_LIST);
  }

  @Get(':id')
  @ApiOperation({ summary: 'Show an order' })
  @ApiOkResponse({ type: Order })
  @ApiNotFoundResponse({ description: 'The order does not exist' })
  find(@Param('id') id: string): Order {
    const order = this.book.find(id);
    if (!order) throw new NotFoundException('There is no such order');
    return order;
  }
}
