import { Body, ConflictException, Controller, Delete, Get, NotFoundException, Param, Post } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
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
@ApiServiceUnavailableResponse({ description: 'The shop is overloaded or shutting down' })
@Controller('carts/:cart')
export class CartsController {
  constructor(
    private readonly catalogue: Catalogue,
    @InjectActor(CartsActor) private readonly carts: ActorRef<CartMessage>,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Show a cart' })
  @ApiOkResponse({ type: CartView })
  show(@Param() { cart }: CartParams): Promise<CartView> {
    return this.carts.ask(() => new ShowCart(cart));
  }

  @Post('items')
  @ApiOperation({ summary: 'Add an article to a cart' })
  @ApiCreatedResponse({ type: CartView })
  @ApiNotFoundResponse({ description: 'The article does not exist' })
  @ApiConflictResponse({ description: `The cart would contain more than ${MOST_OF_ONE} of one article` })
  async add(@Param() { cart }: CartParams, @Body() { sku, quantity }: AddItemDto): Promise<CartView> {
    const article = this.catalogue.find(sku);
    if (!article) throw new NotFoundException(`There is no article "${sku}"`);
    const line = { sku, quantity, priceCents: article.priceCents };
    const reply = await this.carts.ask<CartView | 'too-many'>(() => new AddItem(cart, line));
    if (reply === 'too-many') throw new ConflictException(`A cart can contain at most ${MOST_OF_ONE} of one article`);
    return reply;
  }

  @Delete('items/:sku')
  @ApiOperation({ summary: 'Remove an article from a cart' })
  @ApiOkResponse({ type: CartView })
  remove(@Param() { cart, sku }: CartItemParams): Promise<CartView> {
    return this.carts.ask(() => new RemoveItem(cart, sku));
  }

  /** The order is on disk when the client receives 201. */
  @Post('checkout')
  @ApiOperation({
    summary: 'Order the contents of a cart',
    description: 'The order is on disk when the response arrives. Retrying is safe: a cart is never ordered twice.',
  })
  @ApiCreatedResponse({ type: PlacedOrder })
  @ApiConflictResponse({ description: 'The cart is empty' })
  async checkout(@Param() { cart }: CartParams): Promise<PlacedOrder> {
    const reply = await this.carts.ask<Order | 'empty'>(() => new Checkout(cart));
    if (reply === 'empty') throw new ConflictException('The cart is empty');
    const { id, lines, totalCents, placedAt } = reply;
    return { id, cart, lines, totalCents, placedAt };
  }
}
