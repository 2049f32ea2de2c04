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

/** What asking an actor can end with, as an answer to a client. The supervisor has logged what went wrong. */
@Catch(AskTimeoutError, MailboxFullError, StashFullError, UndeliveredError, JournalError, CartFileError)
export class ShopFilter extends BaseExceptionFilter {
  override catch(error: Error, host: ArgumentsHost): void {
    super.catch(answerTo(error), host);
  }
}

function answerTo(error: Error): HttpException {
  if (error instanceof CartFileError) return new InternalServerErrorException(error.message);
  if (error instanceof JournalError) return new ServiceUnavailableException('The order could not be written down');
  // It may have been done all the same. To check out again is safe: a cart is not ordered twice.
  if (error instanceof AskTimeoutError) return new GatewayTimeoutException();
  return new ServiceUnavailableException();
}
