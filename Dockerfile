ARG NODE_IMAGE=node:22-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY . .
RUN npm ci \
 && npx tsc -b apps/hello-shutdown \
 && npm prune --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
# The engine decides what reaches the container.
ENV HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/libs libs
COPY --from=build /app/apps/hello-shutdown apps/hello-shutdown
# By number: Kubernetes cannot tell that a named user is not root.
USER 1000:1000
EXPOSE 3000
# Exec form: a shell as PID 1 would not pass SIGTERM on. With --import a signal is remembered while modules still load.
CMD ["node", "--import", "@roost/shutdown/early", "apps/hello-shutdown/dist/main.js"]
