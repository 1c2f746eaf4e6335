// What a path of a smooth loss over budgets tells, however it is followed.
#pragma once

namespace greedyhull {

struct LossStage {
    double value, gap;  // the gap is infinite where numbers have left their range
    double price;       // what one more unit of radius is worth
};

}  // namespace greedyhull
