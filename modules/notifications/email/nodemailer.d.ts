declare module 'nodemailer' {
  interface SmtpError extends Error {
    /** The server's answer, as RFC 5321 numbers them. */
    responseCode?: number;
  }
  interface Transport {
    sendMail(mail: {
      from: { name: string; address: string };
      to: string;
      subject: string;
      html: string;
      text: string;
      headers: Record<string, string>;
      messageId?: string;
    }): Promise<{ messageId: string }>;
  }
  export function createTransport(options: {
    url: string;
    connectionTimeout: number;
    greetingTimeout: number;
    socketTimeout: number;
  }): Transport;
}
