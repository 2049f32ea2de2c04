# One image for all demo applications: the compose file says which of them a container runs.
ARG NODE_IMAGE=node:22-slim

# The manifests alone: as long as they stay the same, node_modules come from the cache of the engine.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY . .
RUN find libs apps -mindepth 2 -maxdepth 2 ! -name package.json -exec rm -r {} + && rm tsconfig.base.json

# What the applications need to run, and nothing that they or others could use if it were there.
FROM ${NODE_IMAGE} AS production
WORKDIR /app
COPY --from=manifests /app ./
RUN npm ci --omit=dev --omit=optional --workspace apps/shop --workspace apps/pipeline --workspace apps/fleet \
 && npm cache clean --force

# The applications alone, with the compiler: the whole workspace, with its test tools, would take four times as long.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY --from=manifests /app ./
RUN npm ci --workspace apps/shop --workspace apps/pipeline --workspace apps/fleet && npm cache clean --force
COPY . .
RUN npx tsc -b apps/shop apps/pipeline apps/fleet && rm -r libs/*/src apps/*/src

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
# In a container nobody else can connect to the loopback address. What reaches the container is up to the engine.
ENV HOST=0.0.0.0
WORKDIR /app
COPY --from=production /app/package.json ./
COPY --from=production /app/node_modules node_modules
COPY --from=build /app/libs libs
COPY --from=build /app/apps apps
# A new volume takes over the owner of the folder that it covers.
RUN mkdir /data && chown 1000:1000 /data
VOLUME /data
# By number: Kubernetes cannot tell that a named user is not root.
USER 1000:1000
EXPOSE 3000
# The default, but said: otherwise the engine takes every signal of `docker kill` for a stop, a SIGHUP as well, and no
# longer restarts the container when it crashes later on.
STOPSIGNAL SIGTERM
# Exec form: a shell as PID 1 would not pass SIGTERM on. With --import a signal is remembered while modules still load.
CMD ["node", "--import", "@roost/shutdown/early", "apps/shop/dist/main.js"]
