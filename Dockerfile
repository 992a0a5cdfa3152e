# syntax=docker/dockerfile:1
# docker build .                 a deployment: no sandbox, no embedded PostgreSQL, no build tools
# docker build --target demo .   the same with both sandbox services

FROM node:26-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages/sandbox/package.json packages/sandbox/
COPY packages/double-entry/package.json packages/double-entry/
RUN npm ci
COPY . .
RUN npm run build \
 && npm run runtime && mv dist/runtime /app \
 && npm run runtime -- --demo && mkdir -p /sandbox/node_modules/@tallybridge && mv dist/runtime/packages /sandbox \
 && ln -s ../../packages/sandbox /sandbox/node_modules/@tallybridge/sandbox \
 && cd /app && npm ci --omit=dev --omit=optional

FROM node:26-trixie-slim AS runtime
# The folder of the program belongs to root, so the product cannot change it. Only /data is writable.
RUN mkdir /data && chown node:node /data
COPY --from=build /app /app
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /data
USER node
VOLUME /data
EXPOSE 3000 3001
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
  CMD ["node", "/app/bin/health.cjs"]
ENTRYPOINT ["node", "/app/bin/tallybridge.cjs"]
CMD ["start"]

FROM runtime AS demo
COPY --from=build /sandbox /app
ENV DEMO=true SANDBOX_HOST=0.0.0.0
EXPOSE 4010 4020

# The default target is the last one.
FROM runtime
