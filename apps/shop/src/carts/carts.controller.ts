import { Body, ConflictException, Controller, Delete, Get, NotFoundException, Param, Post } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import { type ActorRef, InjectActor } from '@roost/actors';
import { Catalogue } from '../articles/catalogue.js';
import { type Order, PlacedOrder } from '../orders/order.js';
import { AddItemDto, CartItemParams, CartParams } from './cart.dto.js';
import { CartView, MOST_OF_ONE } from './cart.js';
import { AddItem, type CartMessage, Checkout, RemoveItem, ShowCart } from './cart.messages.js';
import { CartsActor } from './carts.actor.js';

@ApiTags('carts')
@ApiServiceUnavailableResponse({ description: 'Too much to do, or about to stop' })
@Controller('carts/:cart')
export class CartsController {
  constructor(
    private readonly catalogue: Catalogue,
    @InjectActor(CartsActor) private readonly carts: ActorRef<CartMessage>,
  ) {}

  @Get()
  @ApiOkResponse({ type: CartView })
  show(@Param() { cart }: CartParams): Promise<CartView> {
    return this.carts.ask(() => new ShowCart(cart));
  }

  @Post('items')
  @ApiCreatedResponse({ type: CartView })
  @ApiNotFoundResponse({ description: 'No such article' })
  @ApiConflictResponse({ description: `More than ${MOST_OF_ONE} of one article` })
  async add(@Param() { cart }: CartParams, @Body() { sku, quantity }: AddItemDto): Promise<CartView> {
    const article = this.catalogue.find(sku);
    if (!article) throw new NotFoundException(`There is no article "${sku}"`);
    const line = { sku, quantity, priceCents: article.priceCents };
    const reply = await this.carts.ask<CartView | 'too-many'>(() => new AddItem(cart, line));
    if (reply === 'too-many') throw new ConflictException(`A cart takes at most ${MOST_OF_ONE} of one article`);
    return reply;
  }

  @Delete('items/:sku')
  @ApiOkResponse({ type: CartView })
  remove(@Param() { cart, sku }: CartItemParams): Promise<CartView> {
    return this.carts.ask(() => new RemoveItem(cart, sku));
  }

  /** When it answers 201 the order is on the disk. */
  @Post('checkout')
  @ApiCreatedResponse({ type: PlacedOrder })
  @ApiConflictResponse({ description: 'The cart is empty' })
  async checkout(@Param() { cart }: CartParams): Promise<PlacedOrder> {
    const reply = await this.carts.ask<Order | 'empty'>(() => new Checkout(cart));
    if (reply === 'empty') throw new ConflictException('The cart is empty');
    const { id, lines, totalCents, placedAt } = reply;
    return { id, cart, lines, totalCents, placedAt };
  }
}
