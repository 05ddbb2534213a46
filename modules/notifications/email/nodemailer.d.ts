declare module 'nodemailer' {
  interface SmtpError extends Error {
    /** The reply code of the SMTP server (RFC 5321). */
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
