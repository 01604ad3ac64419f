/**
 * Public exports of `troupe/channels`: interfaces that open components to chat platforms.
 *
 * @module troupe/channels
 */
export type { ChannelOptions } from "./interfaces/channels/options.ts";
export { type SlackOptions, slack } from "./interfaces/channels/slack.ts";
export { type TelegramOptions, telegram } from "./interfaces/channels/telegram.ts";
