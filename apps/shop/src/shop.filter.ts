import {
  type ArgumentsHost,
  Catch,
  GatewayTimeoutException,
  type HttpException,
  InternalServerErrorException,
  ServiceUnavailableException,
} from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { AskTimeoutError, MailboxFullError, StashFullError, UndeliveredError } from '@roost/actors';
import { CartFileError } from './carts/cart.store.js';
import { JournalError } from './orders/journal.js';

/** Maps failed asks to HTTP responses. The supervisor has already logged the cause. */
@Catch(AskTimeoutError, MailboxFullError, StashFullError, UndeliveredError, JournalError, CartFileError)
export class ShopFilter extends BaseExceptionFilter {
  override catch(error: Error, host: ArgumentsHost): void {
    super.catch(answerTo(error), host);
  }
}

function answerTo(error: Error): HttpException {
  if (error instanceof CartFileError) return new InternalServerErrorException(error.message);
  if (error instanceof JournalError) return new ServiceUnavailableException('The order could not be saved');
  // The actor may still have completed the request. Retrying a checkout is safe: a cart is never ordered twice.
  if (error instanceof AskTimeoutError) return new GatewayTimeoutException();
  return new ServiceUnavailableException();
}
