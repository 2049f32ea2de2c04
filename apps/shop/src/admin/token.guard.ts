import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ShopConfig } from '../config.js';

@Injectable()
export class TokenGuard implements CanActivate {
  constructor(private readonly config: ShopConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<IncomingMessage>().headers;
    if (!isSame(authorization, `Bearer ${this.config.adminToken}`)) throw new UnauthorizedException();
    return true;
  }
}

/** Compares in constant time. Both hashes have the same length, whatever the client sent. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(sha256(given), sha256(expected));
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
